-- Reads due jobs.
-- ARGV: maximum, 1 for rates, too, or 0.
-- Returns those of `schedule`, those of `retry`, the seconds until the next one is due or a rate
-- opens as text, '' for neither, and 1 when a rate is open.
local time, left = now(), tonumber(ARGV[1])
local found, soonest = {{}, {}}, nil
for i, set in ipairs({'schedule', 'retry'}) do
  local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]
  if first and tonumber(first) <= time and left > 0 then
    found[i] = redis.call('ZRANGE', set, '-inf', time, 'BYSCORE', 'LIMIT', 0, left)
    left = left - #found[i]
    first = redis.call('ZRANGE', set, #found[i], #found[i], 'WITHSCORES')[2]
  end
  if first then soonest = math.min(soonest or math.huge, tonumber(first)) end
end
local opens = ARGV[2] == '1'
  and tonumber(redis.call('ZRANGE', RAFFIA .. 'opens', 0, 0, 'WITHSCORES')[2])
if opens then soonest = math.min(soonest or math.huge, opens) end
return {found[1], found[2], soonest and string.format('%.6f', math.max(soonest - time, 0)) or '',
  opens and opens <= time and 1 or 0}
