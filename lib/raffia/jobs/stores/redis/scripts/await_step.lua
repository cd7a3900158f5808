-- Waits for a signal or a time.
-- ARGV: see held_flow.lua; place, what the step is, seconds or '', 1 if the job is to leave its
-- worker, 1 if a cancel ends the wait, payload without time, payload without deaths or ''.
-- Returns 'done' with the value, 'parked', 'pending' or 'cancelling'; and what the worker has read.
-- Parts: flow_steps flow_parking
local payload, answer = held()
if not payload then return answer end
local place, about = ARGV[5], ARGV[6]
local before = read_step(place)
if before and before.value then return {'done', known(), before.value} end
if ARGV[9] == '1' and cancelled then return {'cancelling', known()} end

local at = before and before.at
if not at then at = seconds(ARGV[7] == '' and FOREVER or now() + tonumber(ARGV[7])) end
local name = signal_of(about)
local signal = name and untaken(ID, name)
if signal or tonumber(at) <= now() then
  local value = signal and string.sub(signal, #prefix(name) + 16) or ''
  write_step(place, {at = at, about = about, value = '[' .. value .. ']'}, before)
  if signal then redis.call('ZREM', flow_part(ID, 'signals'), signal) end
  uncharge(ARGV[11])
  return {'done', known(), '[' .. value .. ']'}
end

if not before then write_step(place, {at = at, about = about}) end
if ARGV[8] ~= '1' then return {'pending', known()} end
park(ARGV[10], 'waiting', at)
return {'parked', known()}
