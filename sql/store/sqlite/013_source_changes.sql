-- about: Data sources by when they were changed, as each change of one has what changed since read.

--# query chat_data_sources_changed
CREATE INDEX IX_chat_data_sources_changed ON chat_data_sources (tenant_id, updated_at, kind, etag)

--# query chat_data_versions_changed
CREATE INDEX IX_chat_data_versions_changed ON chat_data_versions (tenant_id, updated_at)
