-- Changes a limit for all jobs, or closes a key. Blocked jobs are looked at again then.
-- ARGV: 'rule', name and rule as JSON or ''; or 'close', key and seconds.
-- Parts: rates
if ARGV[1] == 'close' then
  local key, time = ARGV[2], string.format('%.6f', now() + tonumber(ARGV[3]))
  redis.call('HSET', RAFFIA .. 'rate:' .. key, 'closed_until', time)
  redis.call('ZADD', RAFFIA .. 'rates', 'GT', time, key)
  if redis.call('ZSCORE', OPENS, key) then redis.call('ZADD', OPENS, time, key) end
  return 1
end
if ARGV[3] == '' then
  redis.call('HDEL', RAFFIA .. 'rate_limits', ARGV[2])
else
  redis.call('HSET', RAFFIA .. 'rate_limits', ARGV[2], ARGV[3])
end
for _, key in ipairs(redis.call('ZRANGE', OPENS, 0, -1)) do
  local rule = redis.call('HGET', RAFFIA .. 'rate:' .. key, 'rule')
  if rule and cjson.decode(rule).name == ARGV[2] then redis.call('ZADD', OPENS, now(), key) end
end
return 1
