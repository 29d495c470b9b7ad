-- tool:       calculate_financial_savings
-- about:      Financial savings: how much money the energy of inverters was worth and earned in a period such as the past month, at a rate, with CO2 avoided and the equivalent number of trees; revenue, return on investment.
-- measures:   savings, money, CO2
-- grain:      inverter
-- permission: chat:read_solar
-- cache_s:    300
-- window:     pv.measurements.local_date
-- answer:     {fact.period}: **{fact.energyGenerated}**[[ worth **{fact.savings}**]][[ worth **{fact.savingsEuro}**]][[, {fact.co2Offset} of CO2 avoided, equivalent to {fact.treesEquivalent} over ten years]]. {fact.daysWithData} with data, {fact.daysWithout} without.[[ CO2 by {fact.co2Source}.]][[ {fact.note}]]
-- suggest:    primary "Performance ratio" -> Show the performance ratio for the fleet
-- param logger_id  list(text,1-12) optional entity=logger                                  Inverters; without them all in operation
-- param start_date date optional filter=date_range_start default=today-30d               First local day
-- param end_date   date optional filter=date_range_end default=today-1d                  Last local day
-- param rate       decimal optional unit=$/kWh                                           Value of a kWh; without it the tariff of each inverter
-- column "logger_id" label=Logger   priority=high   type=text entity=logger
-- column "name"      label=Name     priority=high   type=text
-- column "energy"    label=Energy   priority=high   type=decimal unit=kWh
-- column "savings"   label=Savings  priority=high   type=decimal derived
-- column "currency"  label=Currency priority=medium type=text
-- column "days"      label=Days     priority=medium type=int unit=days
-- fact period          type=text optional  The period
-- fact energyGenerated unit=kWh optional   Energy in the period
-- fact savings         unit=$   optional   What it was worth in dollars
-- fact savingsEuro     unit=€   optional   What it was worth in euros
-- fact co2Offset       unit=kg  optional   CO2 that was avoided
-- fact co2Source       type=text optional  Who published the CO2 factor
-- fact treesEquivalent unit=trees optional Equivalent trees over ten years
-- fact treeSource      type=text optional  Who published the factor of a tree
-- fact daysWithData    unit=days type=int  Days of inverters with data
-- fact daysWithout     unit=days type=int  Days of inverters without data, which are not filled
-- fact note            type=text optional  Why something is not given
SELECT l.logger_id AS "logger_id", l.name AS "name", MAX(l.tariff_per_kwh) AS "tariff", MAX(l.currency) AS "currency", ROUND(SUM(d.energy_kwh), 3) AS "energy", COUNT(*) AS "days"
--? rate: , :rate AS "rate"
FROM pv.loggers l
JOIN pv.v_daily d ON d.tenant_id = l.tenant_id AND d.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
	:{in_operation_or_asked}
	AND d.local_date >= :start_date
	AND d.local_date <= :end_date
GROUP BY l.logger_id, l.name
ORDER BY l.logger_id

--# query window
SELECT MIN(r.first_day) AS "first", MAX(r.last_day) AS "last"
FROM pv.v_range r
WHERE r.tenant_id = :tenant_id
--? logger_id: AND r.logger_id IN (:logger_id...)

--# query others
SELECT l.logger_id AS "value", l.name AS "label"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
JOIN pv.loggers n ON n.tenant_id = l.tenant_id AND n.kind = l.kind
WHERE l.tenant_id = :tenant_id
	AND n.logger_id = (SELECT MIN(x.logger_id) FROM pv.loggers x WHERE x.tenant_id = :tenant_id
--? logger_id: AND x.logger_id IN (:logger_id...)
	)
	AND r.first_day IS NOT NULL
	AND (l.retired_on IS NULL OR l.retired_on > :today)
ORDER BY CASE WHEN l.group_name = n.group_name THEN 0 ELSE 1 END, CASE WHEN l.model = n.model THEN 0 ELSE 1 END, l.logger_id
