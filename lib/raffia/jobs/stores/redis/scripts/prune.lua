-- Forgets batches and workflows completed before a time, names of expired values, and remains of
-- dead workers.
-- ARGV: time.
-- Parts: workflows
local batches = redis.call('ZRANGE', RAFFIA .. 'completed', '-inf', '(' .. ARGV[1], 'BYSCORE')
for _, batch in ipairs(batches) do
  if number_in(batch, 'pending') == 0 then
    redis.call('UNLINK', batch)
    redis.call('ZREM', RAFFIA .. 'completed', batch)
    redis.call('ZREM', RAFFIA .. 'batches', string.sub(batch, #RAFFIA + #'batch:' + 1))
  end
end
-- A sub-workflow is needed as long as its parent may be undone.
local ended = redis.call('ZRANGE', RAFFIA .. 'ended_workflows', '-inf', '(' .. ARGV[1], 'BYSCORE')
for _, id in ipairs(ended) do
  local parent = redis.call('HGET', RAFFIA .. 'workflow:' .. id, 'parent')
  if not parent or redis.call('EXISTS', RAFFIA .. 'workflow:' .. parent) == 0 then
    workflows().tables.remove(id)
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
