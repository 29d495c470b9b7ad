-- tool:       get_trips_of_ferry
-- about:      Trips of a ferry: how many crossings it made in a year.
-- permission: ferry:read
-- answer:     {Ferry} made {Trips} trips.
-- param ferry text required entity=ferry Ferry that made them
-- param year  int  optional default=2025 min=2000 max=2100 filter=year Year
-- column "Ferry" priority=high entity=ferry
-- column "Trips" type=int priority=high
SELECT t.ferry AS "Ferry", t.trips AS "Trips"
FROM quay.trips t
WHERE t.tenant_id = :tenant_id AND t.ferry = :ferry AND t.trip_year = :year
