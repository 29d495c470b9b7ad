-- about: The database itself leaves out a receipt that does not follow the one that it was made for.

-- A row without a tenant is one whose session or answer is not as its statement requires. Any other row that violates a
-- rule of the table is an error.
--# query chat_receipts_in_order
CREATE TRIGGER chat_receipts_in_order BEFORE INSERT ON chat_receipts
WHEN NEW.tenant_id IS NULL
	OR EXISTS (SELECT 1 FROM chat_receipts n WHERE n.tenant_id = NEW.tenant_id AND n.receipt_no = NEW.receipt_no)
	OR NEW.previous_hash IS NOT COALESCE((SELECT p.hash FROM chat_receipts p
		WHERE p.tenant_id = NEW.tenant_id AND p.receipt_no = NEW.receipt_no - 1),
		'0000000000000000000000000000000000000000000000000000000000000000')
BEGIN
	SELECT RAISE(IGNORE);
END
