-- tool:       get_admissions_trend
-- about:      Admissions by month: how stays and bed days of a ward or of all developed over time.
-- measures:   admissions, stays, bed days
-- grain:      month
-- permission: clinic:read
-- answer:     [[{arg.ward}: ]]{rows} months; the newest is {Month} with **{Stays}** and {BedDays} bed days.
-- suggest:    Admissions by ward
-- param ward  text optional entity=ward                             Ward; without it all
-- param since date optional filter=date_range_start                 First month
-- param until date optional filter=date_range_end                   Last month
-- column "Month"   type=date priority=high
-- column "Stays"   type=int  priority=high   unit=stays
-- column "BedDays" type=int  priority=medium label="Bed days"
SELECT s.month_start AS "Month", SUM(s.stays) AS "Stays", SUM(s.bed_days) AS "BedDays"
FROM clinic.v_months s
WHERE s.tenant_id = :tenant_id
--? ward: AND s.ward = :ward
--? since: AND s.month_start >= :since
--? until: AND s.month_start <= :until
GROUP BY s.month_start
ORDER BY s.month_start DESC
