/* Shared by the files of the administrator's connection. */
#ifndef CTL_SERVER_INT_H
#define CTL_SERVER_INT_H

#include <sql.h>
#include <sqlext.h>

#include "server.h"

struct server {
	SQLHENV env;
	SQLHDBC dbc;
	bool connected;
	enum dialect dialect;
	int limit_s; /* of a statement; 0: no limit */
};

/* Sets *err from the driver's diagnostics; returns false. */
bool server_failed(SQLSMALLINT type, SQLHANDLE handle, const char *doing, struct err *err);

#endif
