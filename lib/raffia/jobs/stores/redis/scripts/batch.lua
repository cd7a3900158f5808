-- Opens or seals a batch.
-- ARGV: 'open', id, time, about, parent or '', then name and draft of each callback; or 'seal', id.
-- Returns 0 if the parent does not exist.
-- Parts: ends
local how, id = ARGV[1], ARGV[2]
local batch = RAFFIA .. 'batch:' .. id
if how == 'seal' then
  if redis.call('EXISTS', batch) == 1 then
    redis.call('HSET', batch, 'sealed', 1)
    complete_batch(batch)
  end
  return 1
end

local parent = ARGV[5]
if parent ~= '' then
  if redis.call('EXISTS', RAFFIA .. 'batch:' .. parent) == 0 then return 0 end
  redis.call('HSET', batch, 'parent', parent)
  count_in({batch = parent})
end
redis.call('HSET', batch, 'total', 0, 'pending', 0, 'dead', 0, 'about', ARGV[4])
redis.call('ZADD', RAFFIA .. 'batches', ARGV[3], id)
for i = 6, #ARGV, 2 do redis.call('HSET', batch, 'on_' .. ARGV[i], ARGV[i + 1]) end
return 1
