-- tool:       get_admission_kinds
-- about:      Kinds of admission: planned and emergency stays of a ward, with their shares.
-- measures:   admissions, stays
-- grain:      kind of admission
-- permission: clinic:read
-- derive:     share_of_total Stays Kind
-- answer:     {Ward}: {fact.largest} admissions are the most, **{fact.largest_value}** of {fact.total} ({fact.largest_share}).
-- suggest:    What was the average stay in {ward}?
-- param ward  text required entity=ward                             Ward
-- param since date optional filter=date_range_start                 First day of admission
-- param until date optional filter=date_range_end                   Last day of admission
-- column "Ward"  type=text priority=medium entity=ward
-- column "Kind"  type=text priority=high   entity=admission_kind
-- column "Stays" type=int  priority=high   unit=stays
-- column "Share" type=decimal priority=medium unit=% derived
-- fact total         unit=stays optional Stays of both kinds
-- fact largest       type=text optional  Kind with most
-- fact largest_value unit=stays optional Its stays
-- fact largest_share unit=% optional     Its share
SELECT s.ward AS "Ward", s.kind AS "Kind", COUNT(*) AS "Stays"
FROM clinic.stays s
WHERE s.tenant_id = :tenant_id
	AND s.ward = :ward
:{admitted}
GROUP BY s.ward, s.kind
ORDER BY COUNT(*) DESC, s.kind
