-- about: Approved answers: flows that a tenant's administrators made of answers.

--# query chat_flows
CREATE TABLE chat_flows (
	tenant_id nvarchar(100) NOT NULL,
	name nvarchar(100) NOT NULL,
	version int NOT NULL,
	text text NOT NULL,
	fingerprint char(64),
	status nvarchar(20) NOT NULL CHECK (status IN ('active', 'stale', 'withdrawn')),
	why nvarchar(1000),
	message_uid char(36),
	approved_by nvarchar(200) NOT NULL,
	approved_at nvarchar(24) NOT NULL,
	checked_at nvarchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, name)
)
