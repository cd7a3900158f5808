-- Tells a waiting worker whether there is something to do. Redis tracks the keys for its
-- connection.
-- KEYS: all keys read. ARGV: queues.
-- Returns 1 if a queue that is not paused has a job that is no suspect, the number of processes,
-- the seconds until a job is due as text, '' for none, and those until a rate opens, with the
-- seconds of the rate itself.
local paused, full, due = {}, 0, nil
for _, queue in ipairs(redis.call('SMEMBERS', 'paused')) do paused[queue] = true end
for _, queue in ipairs(ARGV) do
  local size = redis.call('LLEN', 'queue:' .. queue)
    + redis.call('ZCOUNT', RAFFIA .. 'queue:' .. queue, '(' .. SUSPECTS, '+inf')
  if size > 0 and not paused[queue] then full = 1 end
end
for _, set in ipairs({'schedule', 'retry'}) do
  local score = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
  if score and (not due or score < due) then due = score end
end
local time = now()
local function seconds(at) return string.format('%.6f', math.min(at - time, 86400)) end
local first = redis.call('ZRANGE', RAFFIA .. 'opens', 0, 0, 'WITHSCORES')
local rule = first[1] and redis.call('HGET', RAFFIA .. 'rate:' .. first[1], 'rule')
return {full, redis.call('SCARD', 'processes'), due and seconds(due) or '',
  first[2] and seconds(tonumber(first[2])) or '', rule and tostring(cjson.decode(rule).per) or '0'}
