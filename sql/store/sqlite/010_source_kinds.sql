-- about: What a data source is: a table, or a document.

--# query kind
ALTER TABLE chat_data_sources ADD COLUMN kind nvarchar(10) NOT NULL DEFAULT 'table' CHECK (kind IN ('table', 'document'))
