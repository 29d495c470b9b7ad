-- What statements of this pack share.

-- Stays by the day of their admission.
--# fragment admitted
--? since: AND s.admitted_on >= :since
--? until: AND s.admitted_on <= :until

-- Months as a whole: costs are booked on their first day.
--# fragment booked
--? since: AND c.month_start >= :since
--? until: AND c.month_start <= :until
