/*
 * Redis scripts for steps that must be atomic. Each script uses keys of one hash tag, so it runs on
 * a Redis cluster. All times are the server's.
 */
#ifndef VESPER_CLUSTER_SCRIPTS_H
#define VESPER_CLUSTER_SCRIPTS_H

/* Greater than all earlier fencing tokens of the tenant, even if the clock moves back. */
#define NEXT_FENCE(key)                                                                            \
	"local t = redis.call('TIME') local fence = t[1] * 1000000 + t[2] "                        \
	"local last = tonumber(redis.call('GET', " key ") or '0') "                                \
	"if fence <= last then fence = last + 1 end "                                              \
	"local f = string.format('%.0f', fence) redis.call('SET', " key ", f) "

/* KEYS x c t f s; ARGV turn replica lease_ms keep_ms ignore_once, then names and values of the
 * hash. Returns "again turn replica", "held turn replica fence" or "ours fence". */
#define ACQUIRE_SCRIPT                                                                             \
	"local named = string.sub(KEYS[2], -5) ~= ':none' "                                        \
	"local again = named and ARGV[5] == '0' and redis.call('GET', KEYS[2]) "                   \
	"if again then return 'again ' .. again end "                                              \
	"local held = redis.call('GET', KEYS[1]) "                                                 \
	"if held and string.sub(held, 1, #ARGV[1]) ~= ARGV[1] then return 'held ' .. held "        \
	"end " NEXT_FENCE("KEYS[4]") "redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2] .. ' "  \
				     "' .. f, 'PX', ARGV[3]) "                                     \
				     "if named then redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. " \
				     "ARGV[2], 'PX', ARGV[4]) end "                                \
				     "redis.call('DEL', KEYS[5]) "                                 \
				     "redis.call('HSET', KEYS[3], 'replica', ARGV[2], 'fence', "   \
				     "f, 'n', '0', unpack(ARGV, 6)) "                              \
				     "redis.call('PEXPIRE', KEYS[3], ARGV[4]) return 'ours ' .. f"

/* KEYS x; ARGV turn fence: deletes the lease only if this fence wrote it. */
#define RELEASE_SCRIPT                                                                             \
	"local held = redis.call('GET', KEYS[1]) "                                                 \
	"if held and string.sub(held, 1, #ARGV[1]) == ARGV[1] and "                                \
	"string.find(held, ' ' .. ARGV[2] .. '$') then return redis.call('DEL', KEYS[1]) end "     \
	"return 0"

/* KEYS x c t; ARGV turn: deletes the turn, which will emit no more events, so that no message is
 * routed to it. */
#define UNREGISTER_SCRIPT                                                                          \
	"for i = 1, 2 do local turn = redis.call('GET', KEYS[i]) "                                 \
	"if turn and string.sub(turn, 1, #ARGV[1]) == ARGV[1] then redis.call('DEL', KEYS[i]) "    \
	"end "                                                                                     \
	"end return redis.call('DEL', KEYS[3])"

/* KEYS s t; ARGV fence first last bytes keep_ms over. Returns "gone": no hash; "lost": another
 * replica has the turn; "have n": events up to n are stored. */
#define APPEND_SCRIPT                                                                              \
	"local m = redis.call('HMGET', KEYS[2], 'fence', 'n') if not m[1] then return 'gone' end " \
	"if m[1] ~= ARGV[1] then return 'lost' end "                                               \
	"if tonumber(m[2]) + 1 ~= tonumber(ARGV[2]) then return 'have ' .. m[2] end "              \
	"redis.call('XADD', KEYS[1], ARGV[1] .. '-' .. ARGV[2], 'n', ARGV[3], 'b', ARGV[4]) "      \
	"redis.call('HSET', KEYS[2], 'n', ARGV[3]) "                                               \
	"if ARGV[6] == '1' then redis.call('HSET', KEYS[2], 'over', '1') end "                     \
	"redis.call('PEXPIRE', KEYS[1], ARGV[5]) redis.call('PEXPIRE', KEYS[2], ARGV[5]) "         \
	"return 'have ' .. ARGV[3]"

/* KEYS alive, dead:<replica>, turns:<replica>; ARGV replica lease_ms. Returns "0" if another
 * replica has declared this one dead, else "1", the number of turns in its set, and the silent
 * replicas. After a data loss no replica counts as dead. */
#define BEAT_SCRIPT                                                                                \
	"if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('DEL', KEYS[2]) return '0' end "    \
	"local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "          \
	"redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1]) "                        \
	"return '1 ' .. redis.call('SCARD', KEYS[3]) .. ' ' .. "                                   \
	"table.concat(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', "                               \
	"string.format('%.0f', now - tonumber(ARGV[2]))), ' ')"

/* KEYS alive, turns:<replica>; ARGV turn replica. Adds the replica to `alive`, so that its death is
 * noticed even before its first heartbeat. */
#define RUNS_SCRIPT                                                                                \
	"local t = redis.call('TIME') redis.call('ZADD', KEYS[1], 'NX', "                          \
	"string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000)), ARGV[2]) "                  \
	"return redis.call('SADD', KEYS[2], ARGV[1])"

/* KEYS alive, turns:<dead>, dead:<dead>, turns:<caller>; ARGV dead lease_ms kept_ms. Moves the
 * turns to the set of exactly one caller at once, in case the caller dies before it has taken them
 * over. */
#define REAP_SCRIPT                                                                                \
	"local s = redis.call('ZSCORE', KEYS[1], ARGV[1]) local t = redis.call('TIME') "           \
	"if not s or t[1] * 1000 + math.floor(t[2] / 1000) - s < tonumber(ARGV[2]) then "          \
	"return '' end redis.call('ZREM', KEYS[1], ARGV[1]) "                                      \
	"redis.call('SET', KEYS[3], '1', 'PX', ARGV[3]) "                                          \
	"local all = redis.call('SMEMBERS', KEYS[2]) "                                             \
	"redis.call('SUNIONSTORE', KEYS[4], KEYS[4], KEYS[2]) redis.call('DEL', KEYS[2]) "         \
	"return table.concat(all, ' ')"

/* KEYS alive, turns:<caller>, turns:<caller>!, declined:<turn>; ARGV turn caller lease_ms kept_ms.
 * Returns "passed": offered to the next heartbeat of another replica as a turn of a silent one;
 * "none": all live replicas have declined. */
#define DECLINE_SCRIPT                                                                             \
	"local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "          \
	"local alive = redis.call('ZCOUNT', KEYS[1], "                                             \
	"string.format('%.0f', now - tonumber(ARGV[3])), '+inf') "                                 \
	"local declined = redis.call('INCR', KEYS[4]) redis.call('PEXPIRE', KEYS[4], ARGV[4]) "    \
	"if declined >= alive then return 'none' end "                                             \
	"redis.call('SREM', KEYS[2], ARGV[1]) redis.call('SADD', KEYS[3], ARGV[1]) "               \
	"redis.call('ZADD', KEYS[1], '0', ARGV[2] .. '!') return 'passed'"

/* KEYS alive, turns:<replica>; ARGV replica. The replica stops: others take over its remaining
 * turns with their next heartbeat. */
#define LEAVE_SCRIPT                                                                               \
	"if redis.call('EXISTS', KEYS[2]) == 1 then "                                              \
	"return redis.call('ZADD', KEYS[1], '0', ARGV[1]) end "                                    \
	"return redis.call('ZREM', KEYS[1], ARGV[1])"

/* KEYS t f; ARGV replica keep_ms. Returns the new fence of a turn that is taken over, or ''. */
#define TAKE_SCRIPT                                                                                \
	"if redis.call('EXISTS', KEYS[1]) == 0 then return '' end " NEXT_FENCE(                    \
		"KEYS[2]") "redis.call('HSET', KEYS[1], 'replica', ARGV[1], 'fence', f) "          \
			   "redis.call('PEXPIRE', KEYS[1], ARGV[2]) return f"

/* KEYS x; ARGV "turn replica fence", turn, lease_ms: moves the lease with the turn, unless another
 * turn holds it. */
#define MOVE_SCRIPT                                                                                \
	"local held = redis.call('GET', KEYS[1]) "                                                 \
	"if held and string.sub(held, 1, #ARGV[2]) ~= ARGV[2] then return 0 end "                  \
	"redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3]) return 1"

#endif
