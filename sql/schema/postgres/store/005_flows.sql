-- Approved answers: flows that a tenant's administrators made of answers.

--# owner
SET LOCAL ROLE vesper_owner

--# chat_flows
CREATE TABLE dbo.chat_flows (
	tenant_id varchar(100) NOT NULL,
	name varchar(100) NOT NULL,
	version int NOT NULL,
	text text NOT NULL,
	fingerprint varchar(64),
	status varchar(20) NOT NULL CHECK (status IN ('active', 'stale', 'withdrawn')),
	why varchar(1000),
	message_uid varchar(36),
	approved_by varchar(200) NOT NULL,
	approved_at varchar(24) NOT NULL,
	checked_at varchar(24) NOT NULL,
	PRIMARY KEY (tenant_id, name)
)

--# tenant rows
ALTER TABLE dbo.chat_flows ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY

--# tenant policy
CREATE POLICY own_tenant ON dbo.chat_flows
	USING (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))
	WITH CHECK (tenant_id = pg_catalog.current_setting('vesper.tenant_id', true))

--# rights
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.chat_flows TO vesper_chat
