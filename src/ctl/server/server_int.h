/* Internal interface of the administrator's connection to a database server. */
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
bool server_set_error(SQLSMALLINT type, SQLHANDLE handle, const char *operation, struct err *err);

#endif
