-- tool:       forecast_production
-- about:      Forecast of production: energy output that one inverter is expected to produce and yield in the next, coming days, predicted with intervals from a backtest.
-- measures:   forecast, prediction
-- grain:      day
-- permission: chat:read_solar
-- cache_s:    300
-- window:     pv.measurements.local_date
-- frame:      daily 4000
-- answer:     {fact.period}:[[ **{fact.total}**]][[ (80 % interval: {fact.low80} to {fact.high80})]]; method: {fact.method}[[, {fact.historyDays} of history, {fact.missingDays} missing]][[, mean error {fact.backtestMae} in the backtest]].[[ {fact.note}]]
-- suggest:    primary "Extend forecast" -> Forecast the production of {arg.logger_id} for the next 30 days
-- suggest:    secondary "Check health" -> Check the health of {arg.logger_id}
-- param logger_id  text required entity=logger                        Inverter
-- param days_ahead int  optional slot=days_ahead default=7 min=1 max=30 Days ahead, from today
-- column "date"      label=Day      priority=high   type=date    derived
-- column "forecast"  label=Forecast priority=high   type=decimal unit=kWh derived
-- column "low80"     label="Low 80 %"  priority=high   type=decimal unit=kWh derived
-- column "high80"    label="High 80 %" priority=high   type=decimal unit=kWh derived
-- column "low95"     label="Low 95 %"  priority=medium type=decimal unit=kWh derived
-- column "high95"    label="High 95 %" priority=medium type=decimal unit=kWh derived
-- column "clear_sky" label="Clear sky" priority=medium type=decimal unit=kWh derived
-- column "day"       type=date
-- column "energy"    type=real
-- fact method      type=text              How it is computed
-- fact period      type=text optional     The days ahead
-- fact total       unit=kWh optional      Forecast of all days together
-- fact low80       unit=kWh optional      Lower end of the total, 80 %
-- fact high80      unit=kWh optional      Upper end of the total, 80 %
-- fact backtestMae unit=kWh optional      Mean error of the total in the backtest
-- fact coverage    unit=% optional        Backtest totals inside the 80 % interval
-- fact maeLast     unit=kWh optional      Mean error of the last day's clearness
-- fact maeMean7    unit=kWh optional      Mean error of the mean of 7 days
-- fact maeNaive7   unit=kWh optional      Mean error of the same weekday before
-- fact maeSes      unit=kWh optional      Mean error of exponential smoothing
-- fact historyDays unit=days optional     Days of data
-- fact missingDays unit=days optional     Days of history without data
-- fact note        type=text optional     Why something is not given
SELECT l.logger_id AS "logger_id", l.timezone AS "timezone", l.latitude AS "latitude", :days_ahead AS "days_ahead"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
WHERE l.tenant_id = :tenant_id
	AND l.logger_id = :logger_id
	AND r.first_day IS NOT NULL

--# query daily
SELECT d.local_date AS "day", d.energy_kwh AS "energy"
FROM pv.v_daily d
WHERE d.tenant_id = :tenant_id
	AND d.logger_id = :logger_id
ORDER BY d.local_date

--# query window
SELECT MIN(r.first_day) AS "first", MAX(r.last_day) AS "last"
FROM pv.v_range r
WHERE r.tenant_id = :tenant_id
	AND r.logger_id = :logger_id

--# query others
SELECT l.logger_id AS "value", l.name AS "label"
FROM pv.loggers l
JOIN pv.v_range r ON r.tenant_id = l.tenant_id AND r.logger_id = l.logger_id
JOIN pv.loggers n ON n.tenant_id = l.tenant_id AND n.kind = l.kind
WHERE l.tenant_id = :tenant_id
	AND n.logger_id = :logger_id
	AND r.first_day IS NOT NULL
	AND (l.retired_on IS NULL OR l.retired_on > :today)
ORDER BY CASE WHEN l.group_name = n.group_name THEN 0 ELSE 1 END, CASE WHEN l.model = n.model THEN 0 ELSE 1 END, l.logger_id
