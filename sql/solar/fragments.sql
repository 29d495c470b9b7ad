--# fragment in_operation_or_asked
	AND ((l.kind = 'inverter' AND l.commissioned_on <= :today AND (l.retired_on IS NULL OR l.retired_on > :today))
--? logger_id: OR l.logger_id IN (:logger_id...)
	)
--? logger_id: AND l.logger_id IN (:logger_id...)
