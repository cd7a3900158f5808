-- Whether a text is in one of the payloads that a command gives: they need not all be sent for that. ARGV: the command, its key, the text, the command's other arguments.
local text = ARGV[3]
for _, payload in ipairs(redis.call(ARGV[1], ARGV[2], unpack(ARGV, 4))) do
  if string.find(payload, text, 1, true) then return 1 end
end
return 0
