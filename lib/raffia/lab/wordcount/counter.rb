# frozen_string_literal: true

module Raffia
  module Lab
    class Wordcount < Experiment
      # Counts the words of a file, part by part.
      module Counter
        # Small enough that the strings of one block are dead, and still in the processor's cache,
        # when the next block comes.
        BLOCK = 262_144
        # Longest move of a cut, longer than any word.
        REACH = 4_096

        extend self

        # Parts of about the same size: from, and up to but not with. No word is in two parts.
        def parts(path, count)
          File.open(path, "rb") do |file|
            cuts = (1...count).map { |part| cut(file, file.size * part / count) }
            [0, *cuts, file.size].each_cons(2).map(&:freeze)
          end
        end

        # Returns the words in lower case with their counts.
        def count(part, path)
          counts = {}
          rest = "".b
          each_block(part, path) do |block|
            text = (rest << block).downcase(:ascii)
            text.tr!("^a-z", " ")
            whole = text.rindex(" ") || 0
            rest = text.byteslice(whole..)
            text.byteslice(0, whole).split(" ").tally(counts)
          end
          rest.split(" ").tally(counts)
        end

        def together(counts)
          counts.reduce { |all, some| all.merge!(some) { |_, one, other| one + other } }
        end

        # A line for each word, in the order of the bytes.
        def table(counts) = counts.sort.map { |word, count| "#{word} #{count}\n" }.join

        private

        def each_block((from, to), path)
          File.open(path, "rb") do |file|
            file.seek(from)
            while from < to && (block = file.read([BLOCK, to - from].min))
              yield block
              from += block.bytesize
            end
          end
        end

        def cut(file, offset)
          file.seek(offset)
          offset + (file.read(REACH).index(/[^A-Za-z]/n) || REACH)
        end
      end
    end
  end
end
