# frozen_string_literal: true

# A parser in Ractors: the log of a web server, cut at its lines into a few large pieces, each of
# which is parsed in a Ractor of its own.
#
# Three rules keep Ractors fast here: the pieces are frozen, so they are shared and not copied; the
# results are small; and the parser uses nothing but its input and deeply frozen constants.
#
#     bin/raffia run examples/ractor_parser.rb
#
# It prints what is in the log, and whether that is the same without Ractors.

require "raffia"

# The common log format.
module AccessLog
  LINE =
    /\A(?<host>\S+)\ \S+\ \S+\ \[(?<time>[^\]]+)\]
      \ "(?<verb>[A-Z]+)\ (?<path>\S+)\ [^"]*"\ (?<status>\d{3})\ (?<bytes>\d+|-)$/x

  # Figures of some lines. Summaries can be added.
  Summary = Data.define(:lines, :bytes, :statuses, :broken) do
    def +(other)
      with(lines: lines + other.lines, bytes: bytes + other.bytes, broken: broken + other.broken,
        statuses: statuses.merge(other.statuses) { |_, mine, theirs| mine + theirs })
    end
  end

  def self.parse(text)
    lines = bytes = broken = 0
    statuses = Hash.new(0)
    text.each_line do |line|
      lines += 1
      next broken += 1 unless (match = LINE.match(line))

      bytes += match[:bytes].to_i
      statuses[match[:status]] += 1
    end
    Summary.new(lines, bytes, statuses, broken)
  end

  # @return [Array<String>] about so many pieces, each of whole lines
  def self.cut(text, count)
    size = (text.bytesize / count) + 1
    start = 0
    pieces = []
    while start < text.bytesize
      stop = (text.byteindex("\n", [start + size, text.bytesize - 1].min) || text.bytesize - 1) + 1
      pieces << text.byteslice(start...stop).freeze
      start = stop
    end
    pieces
  end
end

log = Array.new(20_000) do |number|
  next "--- log rotated ---\n" if number % 5_000 == 4_999

  status = (number % 10 == 3) ? 404 : 200
  %(10.0.#{number % 256}.7 - - [21/Nov/2026:12:00:00 +0000] "GET /page/#{number % 97} HTTP/1.1" ) +
    "#{status} #{number % 1_000}\n"
end.join

summary = Raffia.map(AccessLog.cut(log, 8), on: :ractors,
  chunk: 1) { |piece| AccessLog.parse(piece) }.sum(AccessLog.parse(""))

puts "#{summary.lines} lines, #{summary.broken} of them no requests, #{summary.bytes} bytes sent"
summary.statuses.sort.each { |status, count| puts "#{status}: #{count}" }
puts "the same as without Ractors: #{summary == AccessLog.parse(log)}"
