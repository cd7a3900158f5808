-- Results and arguments of workflows are text in JSON, and are never decoded: cjson would turn []
-- into {}, and round large numbers.
local function workflow_text()
  local QUOTE, OPENS, COMMA = 34, {[91] = true, [123] = true}, 44
  local CLASSES = {['{'] = 'Hash', ['"'] = 'String', t = 'TrueClass', f = 'FalseClass',
    n = 'NilClass'}
  local NESTING = 100 -- as Ruby's JSON reads

  -- Returns the place after a string.
  local function after_string(json, place)
    repeat
      place = string.find(json, '["\\]', place + 1)
      if not place then return #json + 1 end
      local quoted = string.byte(json, place) ~= QUOTE
      if quoted then place = place + 1 end
    until not quoted
    return place + 1
  end

  -- Returns the texts of a list's elements, and nil for another value.
  local function elements(json)
    if string.sub(json, 1, 1) ~= '[' then return nil end
    local found, depth, from, place = {}, 0, 2, 1
    while true do
      local at = string.find(json, '[%[%]{},"]', place)
      if not at then return found end
      local char = string.byte(json, at)
      place = at + 1
      if char == QUOTE then
        place = after_string(json, at)
      elseif OPENS[char] then
        depth = depth + 1
      elseif char ~= COMMA then
        depth = depth - 1
      end
      if depth == 0 or depth == 1 and char == COMMA then
        local one = string.sub(json, from, at - 1)
        if one ~= '' then found[#found + 1] = one end
        from = at + 1
      end
      if depth == 0 then return found end
    end
  end

  -- Returns how many values may be around another, at most; it stops after so many.
  local function opens(json, most)
    local count = 0
    for _, open in ipairs({'[', '{'}) do
      local at = string.find(json, open, 1, true)
      while at and count <= most do
        count = count + 1
        at = string.find(json, open, at + 1, true)
      end
    end
    return count
  end

  -- Returns whether a value may stand within so many others.
  local function fits(json, around)
    local left = NESTING - around
    if opens(json, left) <= left then return true end
    local depth, place = 0, 1
    while true do
      local at = string.find(json, '[%[%]{}"]', place)
      if not at then return true end
      local char = string.byte(json, at)
      place = at + 1
      if char == QUOTE then
        place = after_string(json, at)
      else
        depth = depth + (OPENS[char] and 1 or -1)
        if depth > left then return false end
      end
    end
  end

  -- Returns the Ruby class of a value, for people.
  local function class_of(json)
    if string.find(json, '^{"raffia:enc":') then return 'encrypted' end
    local known = CLASSES[string.sub(json, 1, 1)]
    return known or string.find(json, '^%-?%d+$') and 'Integer' or 'Float'
  end

  return {elements = elements, fits = fits, class_of = class_of}
end
