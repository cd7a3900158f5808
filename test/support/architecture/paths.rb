# frozen_string_literal: true

require_relative "definitions"

module Architecture
  # Path = constant: lib/raffia/server/tls/certificate.rb defines Raffia::Server::TLS::Certificate.
  # Case and underscores do not count. A file that defines nothing only loads others.
  module Paths
    # Components whose public constants are Raffia's own: Raffia::Error, Raffia::Channel. Their
    # folder is no namespace; a file that defines no class may add methods to Raffia.
    FLAT = %w[base task].freeze
    # Other gems' names.
    FOREIGN = %w[compat].freeze

    module_function

    # @return [Hash{String => String}] path of a file => what is wrong with it
    def mismatches(root)
      Dir.chdir(root) { Dir["lib/raffia/**/*.rb"] }.sort.filter_map do |path|
        fault = fault(path, File.read(File.join(root, path)))
        [path, fault] if fault
      end.to_h
    end

    # @return [String] "pool" of lib/raffia/pool.rb and of all files of lib/raffia/pool
    def component(path) = path.delete_prefix("lib/raffia/").delete_suffix(".rb").split("/").first

    # @return [String, nil] what is wrong
    def fault(path, text)
      folder, *rest = path.delete_prefix("lib/raffia/").delete_suffix(".rb").split("/")
      return if FOREIGN.include?(folder)

      flat = FLAT.include?(folder)
      names = Definitions.in(Prism.parse(text).value).map(&:name)
      return if names.empty? || (flat && names == ["Raffia"])

      expected = flat ? [rest.last || folder] : [folder, *rest]
      "defines #{names.last}, not its path" unless defines?(names, expected)
    end

    def defines?(names, expected)
      wanted = ["raffia", *expected].join("/").delete("_")
      names.any? { |name| name.gsub("::", "/").delete("_").downcase == wanted }
    end
  end
end
