-- ARGV: most of them.
-- Gives what is due in `schedule`, the same of `retry`, and in how many seconds the next one is, as text; '' where there is none.
local time, left = now(), tonumber(ARGV[1])
local found, soonest = {}, nil
for i, set in ipairs({'schedule', 'retry'}) do
  found[i] = left > 0 and redis.call('ZRANGE', set, '-inf', time, 'BYSCORE', 'LIMIT', 0, left) or {}
  left = left - #found[i]
  local later = redis.call('ZRANGE', set, #found[i], #found[i], 'WITHSCORES')[2]
  if later then soonest = math.min(soonest or math.huge, tonumber(later)) end
end
return {found[1], found[2], soonest and string.format('%.6f', math.max(soonest - time, 0)) or ''}
