-- tool:       compare_ward_costs
-- about:      Comparison of the costs of wards: two or more wards side by side in euros, with the difference and costs a bed day.
-- measures:   costs
-- grain:      ward
-- permission: clinic:read_costs
-- derive:     difference Cost Ward
-- answer:     {fact.higher} cost **{fact.higher_value}**, **{fact.difference}** ({fact.difference_percent}) more than {fact.lower} with {fact.lower_value}.
-- suggest:    What were the costs of {Ward} by kind?
-- param wards list(text,2-4) required entity=ward filter=ward       Wards to compare
-- param since date optional filter=date_range_start                 First month
-- param until date optional filter=date_range_end                   Last month
-- column "Ward"       type=text    priority=high   entity=ward
-- column "Cost"       type=decimal priority=high   unit=€
-- column "CostPerDay" type=decimal priority=medium unit=€/day label="Cost a bed day"
-- fact higher             type=text optional Ward with the higher costs
-- fact higher_value       unit=€ optional    Its costs
-- fact lower              type=text optional Ward with the lower costs
-- fact lower_value        unit=€ optional    Its costs
-- fact difference         unit=€ optional    Between them
-- fact difference_percent unit=% optional    Of the lower one
SELECT c.ward AS "Ward", SUM(c.amount) AS "Cost",
	ROUND(SUM(c.amount) / (SELECT SUM(s.days) FROM clinic.stays s WHERE s.tenant_id = :tenant_id AND s.ward = c.ward
:{admitted}
	), 2) AS "CostPerDay"
FROM clinic.costs c
WHERE c.tenant_id = :tenant_id
	AND c.ward IN (:wards...)
:{booked}
GROUP BY c.ward
ORDER BY SUM(c.amount) DESC, c.ward
