-- Moves a job whose code does not fit to `schedule`.
-- ARGV: see held_flow.lua; message, seconds, payload without time.
-- Parts: flow_parking
local payload, answer = held()
if not payload then return answer end
park(ARGV[7], 'stuck', seconds(now() + tonumber(ARGV[6])))
redis.call('HSET', FLOW .. ID, 'error', ARGV[5])
return 1
