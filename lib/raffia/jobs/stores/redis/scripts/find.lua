-- Searches payloads, so that they need not all be sent.
-- ARGV: a command that returns payloads, its key, the text, the command's other arguments.
-- Returns 1 if one of them contains the text.
local text = ARGV[3]
for _, payload in ipairs(redis.call(ARGV[1], ARGV[2], unpack(ARGV, 4))) do
  if string.find(payload, text, 1, true) then return 1 end
end
return 0
