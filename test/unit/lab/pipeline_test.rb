# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/lab/catalog"

module Raffia
  module Lab
    class PipelineTest < TestCase
      module Work
        def self.double(number) = number * 2

        def self.refuse(number) = (number == 13) ? raise(ArgumentError, "unlucky") : number
      end

      %i[fibers threads ractors processes].each do |strategy|
        define_method(:"test_each_item_goes_through_all_stages_on_#{strategy}") do
          written = []
          results = flow(:double, write: ->(index, made) { (written << index) && made + 1 })
            .run(on: strategy, workers: 2)
          assert_equal (0...40).map { |index| (index + 100) * 2 + 1 }, results
          assert_equal [*0...40], written.sort
        end
      end

      def test_what_fails_in_a_stage_ends_all_of_them
        assert_no_leaks do
          %i[fibers threads processes].each do |strategy|
            assert_raises(ArgumentError) do
              flow(:refuse, read: ->(index) { index }).run(on: strategy, workers: 2)
            end
          end
          assert_raises(IOError) do
            flow(:double, read: ->(_) { raise IOError }).run(on: :threads, workers: 2)
          end
          assert_raises(IOError) do
            flow(:double, write: ->(*) { raise IOError }).run(on: :threads, workers: 2)
          end
        end
      end

      def test_a_wrong_document_is_noticed
        params = {documents: 2, bytes: 10}
        digests = [0, 1].map do |index|
          Digest::SHA256.hexdigest(Service::SlowWeb.document(index, 10))
        end
        verdict = lambda do |served: 2, different: 2, **facts|
          Lab.experiment("pipeline").verify(params, {digests:, right: 2, **facts},
            {served:, different:}).values
        end
        assert_equal [[true, true, true], [false, true, true], [false, true, true],
          [true, false, true], [true, true, false]],
          [verdict[], verdict[served: 3], verdict[different: 1], verdict[digests: digests.reverse],
            verdict[right: 1]]
      end

      private

      def flow(name, read: ->(index) { index + 100 }, write: ->(_, made) { made })
        Pipeline::Flow.new(0...40, read:, write:, pack: Lab::Work.new(Work, name).to_proc)
      end
    end
  end
end
