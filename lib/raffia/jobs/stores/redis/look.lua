-- What a worker that waits wants to know, and to be told of when it changes: Redis remembers for the connection that asks which keys were read.
-- KEYS: all that are read. ARGV: queues. Gives whether one of them has a job that is no suspect and is not paused, how many processes there are, and in how many seconds something is due
-- ('': nothing is known to be).
local paused, full, due = {}, 0, nil
for _, queue in ipairs(redis.call('SMEMBERS', 'paused')) do paused[queue] = true end
for _, queue in ipairs(ARGV) do
  local size = redis.call('LLEN', 'queue:' .. queue) + redis.call('ZCOUNT', RAFFIA .. 'queue:' .. queue, '(' .. SUSPECTS, '+inf')
  if size > 0 and not paused[queue] then full = 1 end
end
for _, set in ipairs({'schedule', 'retry'}) do
  local score = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
  if score and (not due or score < due) then due = score end
end
return {full, redis.call('SCARD', 'processes'), due and string.format('%.6f', math.min(due - now(), 86400)) or ''}
