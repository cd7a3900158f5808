# frozen_string_literal: true

require "raffia/server"
require "raffia/cli/serve/flags"

module TestSupport
  # The part of guides/server.md that lists all settings, from the table that they are read by.
  # `rake docs:options` writes it.
  module OptionReference
    PAGE = File.expand_path("../../guides/server.md", __dir__)
    # The generated part of the page.
    PLACE = /(<!-- settings: rake docs:options -->\n).*?(<!-- end -->)/m

    module_function

    # @return [String]
    def text
      Raffia::Server::Settings.titles.map do |section, title|
        rows = Raffia::Server::Settings.select { |row| row.section == section }
        "**#{title}**\n\n| setting | default | what it does " \
          "|\n|---|---|---|\n#{rows.map { |row| line(row) }.join}"
      end.join("\n")
    end

    # @return [String] the page as it should be
    def page = File.read(PAGE, encoding: "UTF-8").sub(PLACE) { "#{$1}#{text}#{$2}" }

    def line(row)
      default = (row.default.nil? || row.default == []) ? "" : "`#{row.shown}`"
      "| `#{row.name}`#{" (`#{row.short}`)" if row.short} | #{default} | " \
        "#{row.description.gsub("|", "\\|")} |\n"
    end
  end
end
