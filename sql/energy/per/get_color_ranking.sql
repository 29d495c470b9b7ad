-- tool:       get_color_ranking
-- about:      Color ranking: how many health areas of each have which color ({values.health_color}); which has the most red or the fewest healthy areas.
-- measures:   red, healthy areas, health, colors
-- grain:      project, color, health
-- words:      tally, colour, league table, heat map, lights, domains, areas, health, healthiest, unhealthiest, sickest, troubled, worst, best, cleanest, scoring, judged, amber, RAG, piling
-- permission: chat:read_projects
-- report:     per_portfolio_report
-- answer:     [[**{fact.worst}**, with **{fact.most_red}** {fact.most_red_words}.]][[{fact.no_red}]] In total, **{fact.red_areas}** areas of {fact.projects} are red.
-- suggest:    What is the health status of {ProjectName}?
-- suggest:    Show the milestone dates of {ProjectName}
-- refer:      project_name rows[0].ProjectName it, its, that project, that one, the worst, the first
-- param technology    text optional entity=technology                Technology
-- param market        text optional entity=market                    Market
-- column "ProjectName"   label=Project priority=high   type=text
-- column "CurrentStage"  label=Stage   priority=high   type=text
-- column "ProjectStatus" label=Status  priority=high   type=text entity=status_color
-- column "RedAreas"      label="🔴 Red"    priority=high type=int
-- column "YellowAreas"   label="🟡 Yellow" priority=high type=int
-- column "GreenAreas"    label="🟢 Green"  priority=high type=int
-- fact projects                         Number of projects in words
-- fact red_areas      type=int optional Red areas in total
-- fact worst          optional          Projects with most red areas
-- fact most_red       type=int optional Red areas of each of these
-- fact most_red_words optional          The same in words
-- fact no_red         optional          Sentence, where no area is red
SELECT
	p.name AS "ProjectName",
	p.currentprojectstage AS "CurrentStage",
	p.Status_Type AS "ProjectStatus",
	SUM(CASE WHEN h.healthcolor = 'red' THEN 1 ELSE 0 END) AS "RedAreas",
	SUM(CASE WHEN h.healthcolor = 'yellow' THEN 1 ELSE 0 END) AS "YellowAreas",
	SUM(CASE WHEN h.healthcolor = 'green' THEN 1 ELSE 0 END) AS "GreenAreas"
FROM dbo.per_project p
JOIN dbo.per_projecthealth h
	ON h.project_gid = p.gid AND h.tenant_id = p.tenant_id
WHERE p.tenant_id = :tenant_id
	AND COALESCE(p.is_archived, 0) = 0
--? technology: AND p.technology = :technology
--? market: AND p.market = :market
GROUP BY p.gid, p.name, p.currentprojectstage, p.Status_Type
ORDER BY "RedAreas" DESC, "YellowAreas" DESC, "ProjectName"
