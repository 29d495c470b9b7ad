-- tool:       get_cost_trend
-- about:      Costs by month: how costs of a ward or of all developed over time, in euros.
-- measures:   costs
-- grain:      month
-- permission: clinic:read_costs
-- answer:     [[{arg.ward}: ]]{rows} months; the newest is {Month} with **{Cost}**.
-- suggest:    Costs by ward
-- param ward      text optional entity=ward                         Ward; without it all
-- param since     date optional filter=date_range_start             First month
-- param until     date optional filter=date_range_end               Last month
-- param cost_kind text optional entity=cost_kind                    Kind of cost; without it all
-- column "Month" type=date    priority=high
-- column "Cost"  type=decimal priority=high unit=€
SELECT c.month_start AS "Month", SUM(c.amount) AS "Cost"
FROM clinic.costs c
WHERE c.tenant_id = :tenant_id
--? ward: AND c.ward = :ward
:{booked}
--? cost_kind: AND c.cost_kind = :cost_kind
GROUP BY c.month_start
ORDER BY c.month_start DESC
