-- tool:       get_admissions_by_ward
-- about:      Admissions by ward: how many stays began in each ward, with its share of all.
-- measures:   admissions, stays
-- grain:      ward
-- permission: clinic:read
-- derive:     share_of_total Stays Ward
-- answer:     {fact.largest} had most: **{fact.largest_value}** of {fact.total} ({fact.largest_share}).
-- suggest:    What was the average stay in {Ward}?
-- suggest:    Which kinds of admission did {Ward} have?
-- param since date optional filter=date_range_start                 First day of admission
-- param until date optional filter=date_range_end                   Last day of admission
-- param kind  text optional entity=admission_kind filter=admission_kind  Kind of admission; without it both
-- column "Ward"  type=text priority=high entity=ward
-- column "Stays" type=int  priority=high unit=stays
-- column "Share" type=decimal priority=medium unit=% derived
-- fact total         unit=stays optional Stays of all wards
-- fact largest       type=text optional  Ward with most
-- fact largest_value unit=stays optional Its stays
-- fact largest_share unit=% optional     Its share
SELECT s.ward AS "Ward", COUNT(*) AS "Stays"
FROM clinic.stays s
WHERE s.tenant_id = :tenant_id
:{admitted}
--? kind: AND s.kind = :kind
GROUP BY s.ward
ORDER BY COUNT(*) DESC, s.ward
