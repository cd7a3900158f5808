-- Forgets batches completed before a time, names of expired values, and remains of dead workers.
-- ARGV: time.
local batches = redis.call('ZRANGE', RAFFIA .. 'completed', '-inf', '(' .. ARGV[1], 'BYSCORE')
for _, batch in ipairs(batches) do
  if number_in(batch, 'pending') == 0 then
    redis.call('UNLINK', batch)
    redis.call('ZREM', RAFFIA .. 'completed', batch)
    redis.call('ZREM', RAFFIA .. 'batches', string.sub(batch, #RAFFIA + #'batch:' + 1))
  end
end
for _, name in ipairs(redis.call('ZRANGE', RAFFIA .. 'passing', '-inf', now(), 'BYSCORE')) do
  redis.call('ZREM', RAFFIA .. 'passing', name)
  if redis.call('EXISTS', RAFFIA .. 'value:' .. name) == 0 then
    redis.call('ZREM', RAFFIA .. 'values', name)
  end
end
for _, identity in ipairs(redis.call('SMEMBERS', 'processes')) do
  if redis.call('HEXISTS', identity, 'info') == 0 then
    redis.call('SREM', 'processes', identity)
  end
end
for _, key in ipairs(redis.call('ZRANGE', RAFFIA .. 'rates', '-inf', now(), 'BYSCORE')) do
  if not redis.call('ZSCORE', RAFFIA .. 'opens', key) then
    redis.call('UNLINK', RAFFIA .. 'rate:' .. key, RAFFIA .. 'rate:' .. key .. ':starts')
    redis.call('ZREM', RAFFIA .. 'rates', key)
  end
end
return 1
