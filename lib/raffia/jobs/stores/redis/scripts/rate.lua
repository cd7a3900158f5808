-- Tells the state of rates.
-- ARGV: keys; without any: offset and maximum after '', for the keys of all.
-- Returns for each key it and its rule as JSON, tokens, the opening, the end of its closure and the
-- number of blocked jobs, as texts; '' for nothing.
-- Parts: rates
local keys = ARGV
if ARGV[1] == '' then
  local from = tonumber(ARGV[2])
  keys = redis.call('ZRANGE', RAFFIA .. 'rates', from, from + tonumber(ARGV[3]) - 1)
end
local found = {}
for _, key in ipairs(keys) do
  local rate, closed = load_rate(key)
  rate = rate or closed
  if rate.spec or rate.closed_until > 0 then
    local rule = rate.spec and cjson.encode({name = rate.spec.name, allow = rate.allow,
      per = rate.per, style = rate.bucket and 'bucket' or 'window', burst = rate.burst}) or '{}'
    local until_time = rate.closed_until > rate.now and string.format('%.6f', rate.closed_until)
    found[#found + 1] = {key, rule, rate.spec and tostring(tokens_of(rate, 0)) or '',
      redis.call('ZSCORE', OPENS, key) or '', until_time or '',
      redis.call('LLEN', RAFFIA .. 'blocked:rate:' .. key)}
  end
end
return found
