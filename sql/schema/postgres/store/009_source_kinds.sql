-- What a data source is: a table, or a document.

--# owner
SET LOCAL ROLE vesper_owner

--# kind
ALTER TABLE dbo.chat_data_sources ADD COLUMN kind varchar(10) NOT NULL DEFAULT 'table' CHECK (kind IN ('table', 'document'))
