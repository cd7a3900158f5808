# frozen_string_literal: true

require "digest/sha2"
require "fileutils"
require "tmpdir"
require "zlib"

module Raffia
  module Lab
    class Service
      # A large file of real text, made of dictionaries that Debian has as packages. Programs other
      # than Ruby count its words, to check Ruby's counts.
      class Corpus
        # The Collaborative International Dictionary, WordNet (enough by itself), the Free On-line
        # Dictionary of Computing, the Jargon File.
        SOURCES = %w[gcide wn foldoc jargon].map { |name| "/usr/share/dictd/#{name}.dict.dz" }
          .freeze
        MISSING = "needs real text: Debian's package dict-wn has 31 MB of it (apt-get install " \
          "dict-wn)"
        # Bytes, not letters: these programs and Ruby must agree on words in every locale.
        COUNT = "export LC_ALL=C; tr A-Z a-z | tr -cs a-z '\\n' | " \
          "awk 'NF {n[$0]++} END {for (w in n) print w, n[w]}' | sort"

        # The dictionaries that this machine has.
        def self.found = SOURCES.select { |path| File.readable?(path) }

        # Advice when there is none, else nil.
        def self.missing = (MISSING if found.empty?)

        # Digest of a table: a line for each word with its count, in the order of the bytes.
        def self.digest(table) = Digest::SHA256.hexdigest(table)

        # Makes the file as large as the run needs it; only the run knows that.
        def self.resize(path, bytes)
          own = File.size(path)
          File.open(path, "ab") do |file|
            IO.copy_stream(path, file, [own, bytes - file.size].min, 0) while file.size < bytes
          end
          File.truncate(path, bytes)
        end

        def open(_scope)
          @dir = Dir.mktmpdir("raffia-lab-corpus-")
          File.open(path, "wb") do |file|
            Service::Corpus.found.each do |source|
              file.write(Zlib::GzipReader.open(source, &:read))
            end
          end
          {path:, bytes: File.size(path)}
        end

        def reset = nil

        # Counts after the run, so that it takes no core from it.
        def report
          table = IO.popen(["sh", "-c", COUNT], in: path, &:read)
          {words: table.scan(/\d+$/).sum(&:to_i), different: table.count("\n"),
           table: Service::Corpus.digest(table)}
        end

        def close = (FileUtils.rm_rf(@dir) if @dir)

        private

        def path = File.join(@dir, "words.txt")
      end
    end
  end
end
