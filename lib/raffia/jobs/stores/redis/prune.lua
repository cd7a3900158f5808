-- ARGV: batches that were completed before this time are forgotten. Names of values are, too, when Redis has forgotten the value; and what
-- workers have left that are no more.
for _, id in ipairs(redis.call('ZRANGE', RAFFIA .. 'batches', 0, -1)) do
  local batch = RAFFIA .. 'batch:' .. id
  local completed = tonumber(redis.call('HGET', batch, 'completed_at') or nil)
  if completed and completed < tonumber(ARGV[1]) and number_in(batch, 'pending') == 0 then
    redis.call('UNLINK', batch)
    redis.call('ZREM', RAFFIA .. 'batches', id)
  end
end
for _, name in ipairs(redis.call('ZRANGE', RAFFIA .. 'values', 0, -1)) do
  if redis.call('EXISTS', RAFFIA .. 'value:' .. name) == 0 then redis.call('ZREM', RAFFIA .. 'values', name) end
end
for _, identity in ipairs(redis.call('SMEMBERS', 'processes')) do
  if redis.call('HEXISTS', identity, 'info') == 0 then redis.call('SREM', 'processes', identity) end
end
return 1
