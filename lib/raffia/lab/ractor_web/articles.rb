# frozen_string_literal: true

module Raffia
  module Lab
    class RactorWeb < HttpCores
      # A shop's articles, the data of the application. They are made before the workers:
      # processes have them by copy-on-write, and Ractors because they are shareable.
      module Articles
        SIZE = 20_000
        WORDS = %w[amber birch copper dune ember fern gravel heather iris juniper kelp linen maple
          nettle oak pine].freeze

        Article = Data.define(:id, :name, :cents, :stock)

        articles = Array.new(SIZE) do |id|
          words = WORDS.values_at(id % 16, id / 16 % 16, id / 256 % 16)
          Article.new(id:, name: words.join(" <&> "), cents: id * 7_919 % 100_000, stock: id % 50)
        end
        ALL = (RUBY_ENGINE == "ruby") ? Ractor.make_shareable(articles) : articles
      end
    end
  end
end
