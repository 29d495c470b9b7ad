/* The route tables and their handlers. */
#ifndef VESPER_HTTP_ROUTE_H
#define VESPER_HTTP_ROUTE_H

#include "http/request.h"

extern const struct http_route public_routes[]; /* ended by a NULL method */
extern const struct http_route admin_routes[];

/* Handlers, by file. */
void on_post_chat(struct request *r);
void on_post_chat_stream(struct request *r);
void on_post_session_message(struct request *r);
void on_get_turn_events(struct request *r);
void on_delete_turn(struct request *r);
void on_get_turn_agents(struct request *r);

void on_post_ui_chat(struct request *r);
void on_get_ui_stream(struct request *r);
void on_post_agui(struct request *r);
void on_get_models(struct request *r);
void on_get_model(struct request *r);
void on_post_completions(struct request *r);
void on_post_mcp(struct request *r);
void on_get_resource_metadata(struct request *r);

void on_post_tokens(struct request *r);
void on_get_tokens(struct request *r);
void on_delete_token(struct request *r);

void on_get_sessions(struct request *r);
void on_post_session(struct request *r);
void on_get_session(struct request *r);
void on_patch_session(struct request *r);
void on_delete_session(struct request *r);
void on_get_session_export(struct request *r);
void on_get_view_csv(struct request *r);
void on_get_view_xlsx(struct request *r);
void on_get_view_svg(struct request *r);
void on_get_saved_views(struct request *r);
void on_post_saved_view(struct request *r);
void on_get_saved_view(struct request *r);
void on_delete_saved_view(struct request *r);
void on_get_receipt(struct request *r);
void on_post_feedback(struct request *r);
void on_get_admin_feedback(struct request *r);
void on_get_admin_tools(struct request *r);
void on_put_admin_tool(struct request *r);
void on_delete_admin_user(struct request *r);
void on_get_admin_access(struct request *r);
void on_get_admin_usage(struct request *r);
void on_get_admin_quality(struct request *r);
void on_get_admin_budgets(struct request *r);
void on_get_admin_receipts(struct request *r);
void on_get_admin_case(struct request *r);
void on_post_approve(struct request *r);
void on_get_admin_flows(struct request *r);
void on_get_admin_flow(struct request *r);
void on_get_admin_flow_text(struct request *r);
void on_put_admin_flow(struct request *r);
void on_delete_admin_flow(struct request *r);
void on_get_session_messages(struct request *r);

void on_get_sources(struct request *r);
void on_post_source(struct request *r);
void on_post_document(struct request *r);
void on_get_source(struct request *r);
void on_put_source_joins(struct request *r);
void on_patch_source(struct request *r);
void on_delete_source(struct request *r);
void on_put_source_data(struct request *r);
void on_get_source_events(struct request *r);
void on_get_source_rows(struct request *r);
void on_post_source_answer(struct request *r);
void on_get_admin_sources(struct request *r);

void on_livez(struct request *r);
void on_readyz(struct request *r);
void on_admin_readyz(struct request *r);
void on_health(struct request *r);
void on_admin_health(struct request *r);
void on_metrics(struct request *r);
void on_get_openapi(struct request *r);
void on_post_report_embed(struct request *r);
void on_get_tools(struct request *r);
void on_get_tool(struct request *r);
void on_post_tool(struct request *r);
void on_get_agents(struct request *r);
void on_get_components(struct request *r);
void on_get_glossary(struct request *r);
void on_get_filter_values(struct request *r);
void on_post_ticket(struct request *r);
void on_demo_login(struct request *r);
void on_get_login(struct request *r);
void on_get_callback(struct request *r);
void on_post_token(struct request *r);
void on_post_logout(struct request *r);
void on_page(struct request *r);
void on_asset(struct request *r);
void on_embed(struct request *r);

#endif
