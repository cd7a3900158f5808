# frozen_string_literal: true

module Raffia
  module Lab
    # Figures that others published of the same experiments, with their hardware. Only the ratios
    # can be compared: the seconds are of other machines and other Rubies.
    module PublishedFigures
      # variant: our variant to show it with, or nil. workers: nil when the source's cores decide.
      # value: in the experiment's unit. ratio: to the source's own sequence, above 1.0 when better.
      Figure = Data.define(:label, :variant, :workers, :value, :ratio, :hardware) do
        # Whether it belongs to this row of ours.
        def matches?(other, count) = variant == other && (workers.nil? || workers == count)
      end

      MRI2 = "MRI 2.0, 4 cores"
      RYZEN = "Ryzen 2700X, Ruby 3.0-preview"
      I7 = "i7-6820HQ"
      WRK = "Ryzen 2700X, wrk -t4 -c8192"
      NO_HARDWARE = "hardware not given"

      # label, our variant, our workers, value, ratio, hardware
      rows = {
        "mailer" => [
          ["sequence", :inline, nil, 15.30, 1.0, MRI2],
          ["fork", :processes, nil, 3.79, 15.30 / 3.79, MRI2],
          ["threads", :threads, nil, 13.74, 15.30 / 13.74, MRI2],
          ["threads on JRuby", nil, nil, 5.66, nil, "JRuby, 4 cores"]
        ],
        "squares" => [
          ["alone", :inline, nil, 8.17, 1.0, RYZEN],
          ["4 Ractors", :ractors, 4, 2.35, 8.17 / 2.35, RYZEN],
          ["7 Ractors", :ractors, 7, 1.91, 8.17 / 1.91, RYZEN],
          ["16 Ractors", :ractors, 16, 2.30, 8.17 / 2.30, RYZEN],
          ["alone", nil, nil, 12.03, 1.0, I7],
          ["4 Ractors", nil, nil, 6.19, 12.03 / 6.19, I7]
        ],
        "io_wait" => [
          ["sequence", :inline, nil, 11.68, 1.0, NO_HARDWARE],
          ["threads", :threads, nil, 6.54, 11.68 / 6.54, NO_HARDWARE]
        ],
        "zlib" => [
          ["sequence", :inline, nil, 8.57, 1.0, "MRI 1.9.3"],
          ["threads", :threads, nil, 8.62, 8.57 / 8.62, "MRI 1.9.3"],
          ["sequence on JRuby", nil, nil, 12.23, 1.0, "JRuby"],
          ["threads on JRuby", nil, nil, 7.58, 12.23 / 7.58, "JRuby"]
        ],
        "http" => [
          ["epoll", :epoll, nil, 54_680.0, 54_680 / 44_160.0, WRK],
          ["io_uring", :uring, nil, 50_246.0, 50_246 / 44_160.0, WRK],
          ["poll", :poll, nil, 44_160.0, 1.0, WRK]
        ]
      }
      FIGURES = rows.transform_values { |rows| rows.map { |row| Figure.new(*row) }.freeze }.freeze

      def self.of(name) = FIGURES.fetch(name, [])
    end
  end
end
