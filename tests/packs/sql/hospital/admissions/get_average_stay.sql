-- tool:       get_average_stay
-- about:      Average stay: how long patients of a ward stay, in days, with the number of stays and the longest.
-- measures:   average stay, length of stay, days
-- permission: clinic:read
-- answer:     Patients of **{Ward}** stayed **{AverageDays}** on average ({Stays}; the longest stay took {LongestDays}).
-- suggest:    How did admissions of {Ward} develop?
-- param ward  text required entity=ward                             Ward
-- param since date optional filter=date_range_start                 First day of admission
-- param until date optional filter=date_range_end                   Last day of admission
-- param kind  text optional entity=admission_kind filter=admission_kind  Kind of admission; without it both
-- column "Ward"        type=text    priority=high   entity=ward
-- column "AverageDays" type=decimal priority=high   unit=days label="Average stay"
-- column "LongestDays" type=int     priority=medium unit=days label="Longest stay"
-- column "Stays"       type=int     priority=high   unit=stays
SELECT s.ward AS "Ward", ROUND(AVG(s.days * 1.0), 1) AS "AverageDays", MAX(s.days) AS "LongestDays", COUNT(*) AS "Stays"
FROM clinic.stays s
WHERE s.tenant_id = :tenant_id
	AND s.ward = :ward
:{admitted}
--? kind: AND s.kind = :kind
GROUP BY s.ward
