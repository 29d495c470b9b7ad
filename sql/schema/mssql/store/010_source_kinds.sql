-- What a data source is: a table, or a document.

--# kind
ALTER TABLE dbo.chat_data_sources ADD kind nvarchar(10) COLLATE Latin1_General_100_BIN2 NOT NULL
	CONSTRAINT DF_chat_data_sources_kind DEFAULT 'table'
	CONSTRAINT CK_chat_data_sources_kind CHECK (kind IN ('table', 'document'));
GO
