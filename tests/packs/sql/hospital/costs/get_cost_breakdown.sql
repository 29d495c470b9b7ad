-- tool:       get_cost_breakdown
-- about:      Costs of one ward by kind of cost: staff, drugs and others in euros, with their shares.
-- measures:   costs
-- grain:      kind of cost
-- permission: clinic:read_costs
-- derive:     share_of_total Cost Kind
-- answer:     {Ward} cost **{fact.total}**, most of it for {fact.largest}: {fact.largest_value} ({fact.largest_share}).
-- suggest:    How did the costs of {ward} develop by month?
-- param ward  text required entity=ward                             Ward
-- param since date optional filter=date_range_start                 First month
-- param until date optional filter=date_range_end                   Last month
-- column "Ward"  type=text    priority=medium entity=ward
-- column "Kind"  type=text    priority=high   entity=cost_kind
-- column "Cost"  type=decimal priority=high   unit=€
-- column "Share" type=decimal priority=medium unit=% derived
-- fact total         unit=€ optional    Costs of the ward
-- fact largest       type=text optional Kind with the highest costs
-- fact largest_value unit=€ optional    Its costs
-- fact largest_share unit=% optional    Its share
SELECT c.ward AS "Ward", c.cost_kind AS "Kind", SUM(c.amount) AS "Cost"
FROM clinic.costs c
WHERE c.tenant_id = :tenant_id
	AND c.ward = :ward
:{booked}
GROUP BY c.ward, c.cost_kind
ORDER BY SUM(c.amount) DESC, c.cost_kind
