# frozen_string_literal: true

# Thumbnails, on all cores: computing in Ruby wants processes. Pictures are files of the format PPM,
# so no library is needed; with one in C, such as ruby-vips, `on: :threads` is right, and nothing
# else changes.
#
#     bin/raffia run examples/thumbnails.rb
#
# It prints the size of each, and what was no picture.

require "raffia"
require "tmpdir"

# A picture: three bytes for each pixel, row by row.
Picture = Data.define(:width, :height, :bytes) do
  # @raise [ArgumentError] when it is no picture
  def self.read(path)
    head, width, height, bytes = File.binread(path).match(/\A(P6)\s+(\d+)\s+(\d+)\s+255\s(.*)\z/mn)
      &.captures
    unless head && bytes.bytesize == width.to_i * height.to_i * 3
      raise ArgumentError, "#{File.basename(path)} is no picture"
    end

    new(width.to_i, height.to_i, bytes)
  end

  def write(path) = File.binwrite(path, "P6 #{width} #{height} 255\n#{bytes}")

  # @return [Picture] a smaller one: each of its pixels is the mean of a square
  def shrink(by)
    small = "".b
    (height / by).times do |row|
      (width / by).times { |column| small << mean(column * by, row * by, by) }
    end
    with(width: width / by, height: height / by, bytes: small)
  end

  private

  def mean(left, top, side)
    sums = [0, 0, 0]
    side.times do |row|
      start = ((top + row) * width + left) * 3
      bytes.byteslice(start, side * 3).each_byte
        .with_index { |byte, index| sums[index % 3] += byte }
    end
    sums.map { |sum| sum / (side * side) }.pack("C3")
  end
end

# A picture like a camera's: each runs from dark to bright in another colour.
def paint(path, shade)
  rows = Array.new(120) { |y| Array.new(160) { |x| [x, y * 2, shade * 20].pack("C3") }.join }
  Picture.new(160, 120, rows.join.b).write(path)
end

Dir.mktmpdir do |folder|
  10.times { |number| paint(File.join(folder, "picture#{number}.ppm"), number) }
  File.write(File.join(folder, "notes.ppm"), "buy film") # somebody always does

  # Only names go to the workers, and only names and sizes come back: pictures are read and written
  # where they are scaled.
  made = Raffia.map(Dir[File.join(folder, "*.ppm")].sort, on: :processes, chunk: 1,
    item_timeout: 60) do |path|
    thumbnail = Picture.read(path).shrink(8)
    thumbnail.write(path.sub(".ppm", ".thumb.ppm"))
    "#{File.basename(path)}: #{thumbnail.width} x #{thumbnail.height}"
  rescue ArgumentError => error
    "left out: #{error.message}"
  end

  puts made
  first = Picture.read(File.join(folder, "picture3.thumb.ppm"))
  puts "the top left corner of picture3: #{first.bytes.byteslice(0, 3).bytes.join(", ")}"
end
