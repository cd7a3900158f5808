-- Waits for the first of the steps that wait.
-- ARGV: see held_flow.lua; 1 if a cancel ends the wait, payload without time.
-- Returns 'parked', or 'ready' when one has ended.
-- Parts: flow_parking
local payload, answer = held()
if not payload then return answer end
local at = redis.call('ZRANGE', flow_part(ID, 'waits'), 0, 0, 'WITHSCORES')[2]
if not at or tonumber(at) <= now() or ARGV[5] == '1' and cancelled then return 'ready' end
for _, name in ipairs(redis.call('HKEYS', flow_part(ID, 'awaits'))) do
  if untaken(ID, name) then return 'ready' end
end
park(ARGV[6], 'waiting', seconds(tonumber(at)))
return 'parked'
