# frozen_string_literal: true

require "raffia/server"
require "raffia/jobs/worker"

module TestSupport
  # Signatures of methods whose keywords are a table of settings. `rake types:settings` writes them
  # into sig/, between two comments.
  module SettingsSignatures
    FOLDER = File.expand_path("../../sig/raffia", __dir__)
    PLACE = /^ *# settings: rake types:settings\n.*?^ *# end of settings\n/m
    # RBS types of the methods of Service::Settings::Types.
    TYPES = {
      count: "Integer", threads: "Integer", port: "Integer", limit: "Integer | String | false",
      workers: "Integer | Symbol", ractors: "Integer | Symbol", flag: "bool",
      elastic_workers: "Integer | Range[Integer] | Symbol | String",
      elastic_threads: "Integer | Range[Integer] | String",
      flag_or_auto: "bool | Symbol", string: "String", strings: "String | Array[String]",
      path: "String", paths: "String | Array[String]", uri: "String",
      uris: "String | Array[String]", log: "String | bool", object: "untyped",
      status_files: "String | Array[String]",
      codings: "String | Symbol | Array[String | Symbol]",
      list: "String | Array[String] | Hash[String, Integer]",
      seconds: "seconds | String | false", duration: "seconds",
      bytes: "Integer | String | false"
    }.freeze
    # File => the methods: what comes before the keywords, and after them.
    METHODS = {
      "server.rbs" => [Raffia::Server::Settings,
        [["def self.start: (_App app, ", ") -> Handle"],
          ["             | [T] (_App app, ", ") { (Handle) -> T } -> T"],
          ["def initialize: (_App app, ?logger: untyped, ", ") -> void"]]],
      "jobs/worker.rbs" => [Raffia::Jobs::Worker::Settings,
        [["def initialize: (?Store store, ", ") -> void"]]]
    }.freeze

    module_function

    # @return [Hash{String => String}] paths of the files, and their text as it should be
    def files
      METHODS.to_h do |name, (settings, methods)|
        path = File.join(FOLDER, name)
        text = File.read(path)
        indent = text[PLACE][/\A */]
        lines = methods.flat_map { |start, finish| signature(start, settings, finish) }
        lines = ["# settings: rake types:settings", *lines, "# end of settings"]
        [path, text.sub(PLACE) { lines.map { |line| "#{indent}#{line}\n" }.join }]
      end
    end

    # @return [Array<String>] lines of at most 90 columns, broken between keywords
    def signature(start, settings, finish)
      words = settings.map { |row| "?#{row.name}: #{type(row)}," }
      words[-1] = "#{words.last.delete_suffix(",")}#{finish}"
      words.each_with_object([start.rstrip]) do |word, lines|
        fits = lines.last.size + word.size < 90
        fits ? lines.last << " " << word : lines << "    #{word}"
      end
    end

    def type(row)
      type = row.type.is_a?(Array) ? words(row.type) : TYPES.fetch(row.type)
      return type if !row.default.nil? || type == "untyped"

      type.include?("|") ? "(#{type})?" : "#{type}?"
    end

    def words(list) = [*list.grep(/\A[a-z_]+\z/).map(&:inspect), "String"].join(" | ")
  end
end
