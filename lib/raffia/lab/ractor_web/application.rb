# frozen_string_literal: true

require "erb"
require "json"
require_relative "articles"

module Raffia
  module Lab
    class RactorWeb < HttpCores
      # A small Rack application: twenty articles and the sum of their prices, as JSON and through a
      # template. Any Ractor may call it: it has no state, and its data are shareable.
      module Application
        PAGE = 20
        HEADERS = {"content-type" => "text/html; charset=utf-8"}.freeze
        TEMPLATE = <<~ERB
          <!doctype html>
          <title>Articles from <%= articles.first.id %></title>
          <table>
          <% articles.each do |article| %>
            <tr><td><%= escape(article.name) %><td><%= format("%.2f", article.cents / 100.0) %>
            <td><%= article.stock %>
          <% end %>
          </table>
          <p>Together <%= format("%.2f", articles.sum(&:cents) / 100.0) %>
          <script type="application/json"><%= json %></script>
        ERB
        # Compiled into a method: an ERB object would belong to the Ractor that made it.
        ERB.new(TEMPLATE, trim_mode: "<>").def_method(singleton_class, "render(articles, json)")

        ESCAPES = {"&" => "&amp;", "<" => "&lt;", ">" => "&gt;", '"' => "&quot;",
                   "'" => "&#39;"}.freeze

        # ERB's own escape is an extension for the main Ractor only.
        def self.escape(text) = text.gsub(/[&<>"']/, ESCAPES)

        def self.call(env)
          first = env.fetch("QUERY_STRING").to_i % (Articles::SIZE - PAGE)
          articles = Articles::ALL[first, PAGE]
          [200, HEADERS, [render(articles, JSON.generate(articles.map(&:to_h)))]]
        end
      end
    end
  end
end
