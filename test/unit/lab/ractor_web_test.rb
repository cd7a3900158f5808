# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/lab/catalog"
require "raffia/lab/ractor_web/server"

module Raffia
  module Lab
    class RactorWebTest < TestCase
      ENV_OF_ONE = {"QUERY_STRING" => "300"}.freeze

      def test_the_page
        status, headers, body = RactorWeb::Application.call(ENV_OF_ONE)
        assert_equal [200, "text/html; charset=utf-8"], [status, headers["content-type"]]
        page = body.join
        assert_equal 20, page.scan("<tr>").size
        assert_includes page, "amber &lt;&amp;&gt;"
        data = JSON.parse(page[%r{<script type="application/json">(.*)</script>}m, 1])
        assert_equal [*300...320], data.map { |article| article["id"] }
        assert_includes page, format("Together %.2f",
          data.sum { |article| article["cents"] } / 100.0)
      end

      def test_it_is_the_same_in_another_ractor
        found = Raffia.map([ENV_OF_ONE], on: :ractors,
          workers: 1, &Work.new(RactorWeb::Application, :call))
        assert_equal [RactorWeb::Application.call(ENV_OF_ONE)], found
      end

      def test_the_catalogue_is_shareable
        assert Ractor.shareable?(RactorWeb::Articles::ALL)
      end
    end
  end
end
