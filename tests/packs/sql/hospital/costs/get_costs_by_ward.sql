-- tool:       get_costs_by_ward
-- about:      Costs by ward: what each ward cost in euros, ranked, with its share of all.
-- measures:   costs, expensive
-- grain:      ward
-- permission: clinic:read_costs
-- derive:     share_of_total Cost Ward
-- derive:     rank Cost Ward
-- answer:     {fact.first} cost most, **{fact.first_value}** ({fact.largest_share} of {fact.total}); {fact.last} least, {fact.last_value}.
-- suggest:    What were the costs of {Ward} by kind?
-- param since     date optional filter=date_range_start             First month
-- param until     date optional filter=date_range_end               Last month
-- param cost_kind text optional entity=cost_kind                    Kind of cost; without it all
-- column "Ward"  type=text    priority=high entity=ward
-- column "Cost"  type=decimal priority=high unit=€
-- column "Share" type=decimal priority=medium unit=% derived
-- column "Rank"  type=int     priority=low derived
-- fact total         unit=€ optional    Costs of all wards
-- fact largest       type=text optional Ward with the highest costs
-- fact largest_value unit=€ optional    Its costs
-- fact largest_share unit=% optional    Its share
-- fact ranked        type=int optional  Wards with costs
-- fact first         type=text optional Ward with the highest costs
-- fact first_value   unit=€ optional    Its costs
-- fact last          type=text optional Ward with the lowest costs
-- fact last_value    unit=€ optional    Its costs
SELECT c.ward AS "Ward", SUM(c.amount) AS "Cost"
FROM clinic.costs c
WHERE c.tenant_id = :tenant_id
:{booked}
--? cost_kind: AND c.cost_kind = :cost_kind
GROUP BY c.ward
ORDER BY SUM(c.amount) DESC, c.ward
